import Http

/// Files about disputes on their way in and out: a few in memory at once, each of the kind that it says it is.
extension Api {
    /// Keeps a file about a dispute once its content is known to be what the headers say, or tells what they don't.
    func takeDisputeEvidence(_ call: Call) async throws(Problem) -> HttpResponse {
        let type = call.headers.mediaType ?? ""
        let named = EvidenceFile.types.first { HttpHeaders.isSame($0, type) }
        // Another type is refused before the file is read.
        guard named != nil || HttpHeaders.isSame(EvidenceFile.untold, type) else {
            return try await addDisputeEvidence(call)
        }
        try takeFile(call)
        defer { uploads.release(call.merchant) }
        let bytes = try await evidence(call.upload)
        guard let told = named ?? EvidenceFile.mediaType(of: bytes), EvidenceFile.mayBe(told, bytes) else {
            let wanted = named ?? "one of \(EvidenceFile.types.joined(separator: ", "))"
            throw Problem(.mediaTypeUnsupported, "The content of the file is not \(wanted).", path: "body")
        }
        var whole = call
        whole.headers.set("Content-Type", told)
        whole.upload = WholeBody(bytes)
        return try await addDisputeEvidence(whole)
    }

    /// Takes a place for a file in memory; whoever has one gives it back.
    func takeFile(_ call: Call) throws(Problem) {
        guard uploads.take(call.merchant) else {
            throw .tooMany(.seconds(1), "This merchant has as many files in hand as it may.")
        }
    }
}
