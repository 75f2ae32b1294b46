import FoundationEssentials

/// Whatever lies in a checkout is committed, or ignored by name.
enum CommittedRule {
    /// What git says of a checkout; nothing where there is no git or no checkout.
    static func status(of root: String) -> String? {
        guard FileManager.default.fileExists(atPath: root + "/.git") else { return nil }
        // The checkout may belong to another user than the one who runs the tests.
        return Shell.output("git -c safe.directory='*' status --porcelain --untracked-files=all 2>/dev/null", in: root)
    }

    static func breaches(status: String) -> [Breach] {
        status.split(separator: "\n").filter { $0.hasPrefix("?? ") }.map {
            Breach(path: String($0.dropFirst(3)), line: 1, reason: "neither committed nor ignored")
        }
    }
}
