import Kernel

extension Visit {
    /// The way through a list of pages: back to its first one, and on to what follows where there is more.
    ///
    /// `next` is the place of the following page, and `place` names the parameter that says it. What was just done is not said again there.
    func pages(_ next: String?, by place: String = "cursor", _ title: Text = .older) -> Html {
        let isBehind = parameter(place) != nil
        guard next != nil || isBehind else { return .empty }
        let here = address.with("done", nil)
        return tag("nav", .class("pages"), .label(say(.pages))) {
            if isBehind { link(say(.firstPage), here.with(place, nil), "button") }
            if let next {
                tag("a", .class("button"), .href(here.with(place, next)), .of("rel", "next")) { say(title) }
            }
        }
    }
}
