import Http
import Kernel

/// Checks parts of a request whose schema is somebody else's: an adapter's details, an app's claim, settings.
enum FreeForm {
    /// An object of bounded depth without control characters and without names that sealing owns.
    ///
    /// `lines` lets texts have line breaks, as a key in PEM does.
    static func check(_ json: Json, at path: JsonPath, lines: Bool = false) throws(Problem) {
        guard json.members != nil else {
            throw Problem(.typeWrong, "An object is needed here.", path: path.description)
        }
        try walk(json, at: path, lines)
    }

    private static func walk(_ json: Json, at path: JsonPath, _ lines: Bool) throws(Problem) {
        switch json {
        case .null, .bool, .number: return
        case .string(let text):
            guard !PlainText.hasControl(lines ? text.filter { !$0.isNewline } : text) else {
                throw Problem(.controlCharacter, "Control characters are not allowed.", path: path.description)
            }
        case .array(let items):
            for (index, item) in items.enumerated() { try walk(item, at: path.appending(String(index)), lines) }
        case .object(let object):
            for member in object.members {
                let here = path.appending(member.name)
                guard !member.name.isEmpty, !PlainText.hasControl(member.name) else {
                    throw Problem(
                        .controlCharacter,
                        "A name is empty or has control characters.",
                        path: path.description
                    )
                }
                guard member.name != Sealed.mark, member.name != Sealed.blindMark else {
                    throw Problem(.memberReserved, "Names of sealed values are reserved.", path: here.description)
                }
                try walk(member.value, at: here, lines)
            }
        }
    }

    /// Reads labels, text to text.
    static func labels(_ json: Json?, at path: JsonPath) throws(Problem) -> Json {
        guard let json else { return [:] }
        guard let object = json.members else {
            throw Problem(.typeWrong, "An object is needed here.", path: path.description)
        }
        guard object.count <= Limits.metadataEntries else {
            throw Problem(.tooMany, "At most \(Limits.metadataEntries) entries.", path: path.description)
        }
        for member in object.members {
            let here = path.appending(member.name).description
            try PlainText.check(member.name, bytes: Limits.metadataNameBytes, path: here)
            guard member.name != Sealed.mark, member.name != Sealed.blindMark else {
                throw Problem(.memberReserved, "Names of sealed values are reserved.", path: here)
            }
            guard let text = member.value.text else { throw Problem(.typeWrong, "A text is needed here.", path: here) }
            guard text.utf8.count <= Limits.metadataValueBytes else {
                throw Problem(.textTooLong, "At most \(Limits.metadataValueBytes) bytes of UTF-8.", path: here)
            }
            guard !PlainText.hasControl(text) else {
                throw Problem(.controlCharacter, "Control characters are not allowed.", path: here)
            }
            try PlainText.checkVisible(text, path: here)
        }
        return json
    }
}
