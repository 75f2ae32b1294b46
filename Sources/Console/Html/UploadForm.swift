import Kernel

extension Visit {
    /// A form of this session in which a file comes along; its command is made by the file itself.
    func bringing(
        _ address: Address,
        _ title: Text,
        most bytes: Int,
        tooLarge: String,
        @HtmlBuilder _ content: () -> Html
    ) -> Html {
        tag(
            "form",
            .class("form"),
            .of("method", "post"),
            .action(address),
            .of("enctype", "multipart/form-data"),
            .flag("data-upload")
        ) {
            // The proof of where it comes from stands before the file.
            hidden(Self.formToken, session?.formTokens.first ?? "")
            content()
            tag("progress", .class("upload"), .of("max", "100"), .of("value", "0"), .label(say(title))) { Html.empty }
            tag(
                "p",
                .class("hint"),
                .of("role", "alert"),
                .of("data-failed", say(.notNowHint)),
                .of("data-large", tooLarge),
                .of("data-most", String(bytes))
            ) { Html.empty }
            button(say(title), "button-main")
        }
    }
}
