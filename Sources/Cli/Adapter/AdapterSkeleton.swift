/// A new adapter: the rooms that all of them have, written as far as every provider is alike.
///
/// It builds; what only the provider's documents can tell is marked as unwritten, and its checklist says so line by line.
struct AdapterSkeleton {
    /// The module, as in `Acme`.
    let name: String

    /// The provider's id in addresses and references, as in `acme`.
    var id: String { name.lowercased() }

    /// A name that can be a module and a type; `nil` for anything else.
    init?(_ name: String) {
        let isLetter = { (byte: UInt8) in (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
        guard let first = name.utf8.first, (0x41...0x5A).contains(first), (2...20).contains(name.utf8.count),
            name.utf8.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) })
        else { return nil }
        self.name = name
    }

    /// The folders that it fills; none of them may be there before.
    var folders: [String] {
        ["Sources/Providers/\(name)", "Sources/Tools/Conformance/\(name)", "Tests/\(name)Tests"]
    }

    /// The files, by their paths in a checkout.
    var files: [(path: String, text: String)] {
        let rooms = "Sources/Providers/\(name)"
        let judge = "Sources/Tools/Conformance/\(name)"
        let tests = "Tests/\(name)Tests"
        let list: [(String, [UInt8])] = [
            ("\(rooms)/\(name)Adapter.swift", PackageResources.Adapter_template),
            ("\(rooms)/\(name)Declaration.swift", PackageResources.Declaration_template),
            ("\(rooms)/Account/\(name)Settings.swift", PackageResources.Settings_template),
            ("\(rooms)/Details/Carried.swift", PackageResources.Carried_template),
            ("\(rooms)/Details/Details.swift", PackageResources.Details_template),
            ("\(rooms)/Device/AppResult.swift", PackageResources.AppResult_template),
            ("\(rooms)/Device/Handover.swift", PackageResources.Handover_template),
            ("\(rooms)/Messages/Answer.swift", PackageResources.Answer_template),
            ("\(rooms)/Messages/Interpretation.swift", PackageResources.Interpretation_template),
            (
                "\(rooms)/Messages/NotificationAuthentication.swift",
                PackageResources.NotificationAuthentication_template
            ),
            ("\(rooms)/Requests/Call.swift", PackageResources.Call_template),
            ("\(rooms)/Requests/FollowUp.swift", PackageResources.FollowUp_template),
            ("\(rooms)/Requests/Opening.swift", PackageResources.Opening_template),
            ("\(rooms)/Requests/Order.swift", PackageResources.Order_template),
            ("\(rooms)/Signing/Finishing.swift", PackageResources.Finishing_template),
            ("\(rooms)/Signing/Signing.swift", PackageResources.Signing_template),
            ("\(rooms)/Status/\(name)States.swift", PackageResources.States_template),
            ("\(rooms)/Status/StatusTable.swift", PackageResources.StatusTable_template),
            ("\(judge)/\(name)Suite.swift", PackageResources.Suite_template),
            ("\(judge)/NotificationCase.swift", PackageResources.NotificationCase_template),
            ("\(tests)/ChecklistTests.swift", PackageResources.ChecklistTests_template),
            ("\(tests)/Shop.swift", PackageResources.Shop_template),
            ("\(tests)/VectorTests.swift", PackageResources.VectorTests_template),
        ]
        return list.map { path, template in (path, filled(String(decoding: template, as: UTF8.self))) }
    }

    /// A template speaks of `Acme` and `acme`; its imports are put in order again.
    private func filled(_ template: String) -> String {
        var lines: [String] = []
        for line in template.split(separator: "\n", omittingEmptySubsequences: false) {
            var text = String(line)
            for (mark, word) in [("Acme", name), ("acme", id)] { text = text.replacing(mark, with: word) }
            lines.append(text)
        }
        let last = lines.lastIndex { ImportLine.module($0) != nil } ?? 0
        let first = lines.firstIndex { ImportLine.module($0) != nil } ?? 0
        if first < last { lines[first...last].sort(by: ImportLine.precedes) }
        return lines.joined(separator: "\n")
    }

    // MARK: The places that must know it

    /// Texts to put behind others: in the manifest, where adapters are composed, and in the rules of the house.
    var insertions: [Insertion] {
        let manifest = "Package.swift"
        let table = "Tests/Soundness/Rules/TargetTable.swift"
        return [
            Insertion(
                manifest,
                behind: "        module(\"SberPay\", domain, path: \"Sources/Providers/SberPay\"),\n",
                "        module(\"\(name)\", domain, path: \"Sources/Providers/\(name)\"),\n"
            ),
            Insertion(
                manifest,
                behind: "        module(\"SberPayConformance\", [\"Conformance\", \"SberPay\"] + domain, "
                    + "path: \"Sources/Tools/Conformance/SberPay\"),\n",
                """
                        module(
                            "\(name)Conformance",
                            ["Conformance", "\(name)"] + domain,
                            path: "Sources/Tools/Conformance/\(name)"
                        ),

                """
            ),
            Insertion(
                manifest,
                behind: "            \"Daemon\",\n            [\n",
                "                \"\(name)\",\n"
            ),
            Insertion(
                manifest,
                behind: "            \"Cli\",\n            [\n",
                "                \"\(name)Conformance\",\n"
            ),
            Insertion(
                manifest,
                behind: "        tests(\"XmlTests\", [\"Xml\"]),\n",
                """
                        tests(
                            "\(name)Tests",
                            ["\(name)", "Conformance", "\(name)Conformance", "TestKit"] + domain
                        ),

                """
            ),
            Insertion(
                "Sources/Daemon/Serve/Node.swift",
                behind: "AdapterRegistry([\n",
                "        \(name)Adapter(),\n"
            ),
            Insertion("Sources/Daemon/Serve/Node.swift", importing: name),
            Insertion(
                "Sources/Cli/Adapter/Providers.swift",
                behind: "ConformanceSuite] = [\n",
                "        \"\(id)\": \(name)Suite(),\n"
            ),
            Insertion("Sources/Cli/Adapter/Providers.swift", importing: "\(name)Conformance"),
            Insertion(
                table,
                before: "        row(\"Store\", 4, [\"Postgres\"",
                "        row(\"\(name)\", 4, folder: \"Sources/Providers/\(name)\", pure: true, belowAdapters),\n"
            ),
            Insertion(
                table,
                before: "        conformance(\"Dolyame\", \"Dolyame\")",
                "        conformance(\"\(name)\", \"\(name)\"),\n"
            ),
            Insertion(
                table,
                before: "        \"Cluster\", \"Drill\"",
                "        \"\(name)Conformance\",\n"
            ),
            Insertion(
                table,
                behind: "            4: [",
                "\"\(name)\", "
            ),
        ]
    }
}
