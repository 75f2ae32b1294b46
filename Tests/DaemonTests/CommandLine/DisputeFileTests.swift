import Kernel
import Testing

@testable import Cli

/// What `paystream disputes files` says.
struct DisputeFileTests {
    private static let now = Timestamp(seconds: 1_800_000_000)

    @Test(
        arguments: [
            (["stage": "opened"], "nobody said until when to answer"),
            (["answerBy": "2027-01-15T08:00:01Z", "stage": "opened"], "answer by 2027-01-15T08:00:01Z"),
            (["answerBy": "2027-01-15T08:00:00Z", "stage": "opened"], "the deadline passed on 2027-01-15T08:00:00Z"),
            (["answerBy": "2027-01-15T08:00:00Z", "stage": "lost"], "the dispute has ended: lost"),
        ] as [(Json, String)]
    )
    func `a deadline is told, and that it is over`(_ dispute: Json, _ words: String) {
        #expect(DisputesCommand.deadline(of: dispute, at: Self.now) == words)
    }

    @Test func `files stand in a table, with those whose payer was forgotten`() {
        let kept: Json = [
            "addedAt": "2027-01-15T08:00:00Z", "addedBy": "key:ann", "bytes": 5008, "id": "f1", "name": "note.pdf",
            "type": "application/pdf",
        ]
        let erased: Json = [
            "addedAt": "2027-01-15T08:00:00Z", "addedBy": "key:ann", "bytes": 1, "id": "f2", "type": "text/plain",
        ]
        let lines = DisputesCommand.fileTable([kept, erased]).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[1].contains("note.pdf") && lines[1].contains("5008"), "\(lines)")
        #expect(lines[2].split(separator: " ")[1] == "-", "\(lines)")
        #expect(DisputesCommand.fileTable([]).contains("no files about this dispute"))
    }
}
