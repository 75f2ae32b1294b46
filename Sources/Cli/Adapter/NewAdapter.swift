import Glibc
import SystemKit

/// Writes the skeleton of an adapter into a checkout.
struct NewAdapter {
    private let skeleton: AdapterSkeleton
    /// The checkout's folder.
    private let root: String

    init(_ name: String, into root: String) throws(UsageError) {
        guard let skeleton = AdapterSkeleton(name) else {
            throw UsageError(
                "'\(name)' is no name for an adapter: a capital letter, then letters or digits, 2 to 20 in all"
            )
        }
        self.skeleton = skeleton
        self.root = root
        guard FileTree.text("\(root)/Package.swift") != nil, FileTree.folder("\(root)/Sources/ProviderKit") != nil
        else {
            throw UsageError(
                "'\(root)' is no checkout of paystream: it has no Package.swift beside Sources/ProviderKit"
            )
        }
        for folder in skeleton.folders + ["Sources/\(name)"] where FileTree.folder("\(root)/\(folder)") != nil {
            throw UsageError("'\(folder)' is there already")
        }
    }

    /// Tells what it would write, or writes it and tells what is left to do by hand.
    func run(isDry: Bool, say: (String) -> Void) throws(UsageError) {
        for (path, text) in skeleton.files {
            say((isDry ? "would write " : "wrote ") + path)
            if !isDry { try write(text, path) }
        }
        var left: [Insertion] = []
        for insertion in skeleton.insertions {
            guard let file = FileTree.text("\(root)/\(insertion.path)"), let changed = insertion.applied(to: file)
            else {
                left.append(insertion)
                continue
            }
            say((isDry ? "would add to " : "added to ") + "\(insertion.path): \(Self.shown(insertion.text))")
            if !isDry { try write(changed, insertion.path) }
        }
        for insertion in left { say("add to \(insertion.path) by hand: \(Self.shown(insertion.text))") }
        say("The list of what is still to be written: swift test --filter \(skeleton.name)Tests.ChecklistTests")
        say("The rooms one by one: docs/providers/adding.md")
    }

    private func write(_ text: String, _ path: String) throws(UsageError) {
        var folder = root
        for part in path.split(separator: "/").dropLast() {
            folder += "/\(part)"
            guard FileTree.makeFolder(folder, mode: 0o755) else { throw UsageError("'\(folder)' can't be made") }
        }
        try PrivateFile.write(text, to: "\(root)/\(path)")
        chmod("\(root)/\(path)", 0o644)
    }

    /// A text on one line.
    private static func shown(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
