import Console
import Foundation
import Testing

/// Languages, plural forms, and holes in texts.
struct TextTests {
    @Test(arguments: [
        ("uk-UA,uk;q=0.9,en;q=0.5", Language.uk), ("de, fr;q=0.7, ru;q=0.8", .ru), ("de", .en), ("fr-CA", .fr),
        ("en;q=0.1, ru;q=0", .en), ("", .en), ("*;;;q=,,", .en), ("uk;q=9", .en), ("fr;q=0.5, uk;q=0.500", .fr),
    ])
    func `a reader gets the language that the browser likes best`(_ field: String, _ language: Language) {
        #expect(Language(accepted: field) == language)
    }

    @Test(arguments: [
        (Language.uk, Int64(1), "1 рядок"), (.uk, 2, "2 рядки"), (.uk, 5, "5 рядків"), (.uk, 11, "11 рядків"),
        (.uk, 21, "21 рядок"), (.uk, 22, "22 рядки"), (.uk, 112, "112 рядків"), (.uk, 0, "0 рядків"),
        (.ru, 1, "1 строка"), (.ru, 3, "3 строки"), (.ru, 14, "14 строк"), (.ru, 101, "101 строка"),
        (.en, 1, "1 row"), (.en, 0, "0 rows"), (.fr, 0, "0 ligne"), (.fr, 1, "1 ligne"), (.fr, 2, "2 lignes"),
    ])
    func `a counted text has the form of its number`(_ language: Language, _ count: Int64, _ text: String) {
        #expect(CountedText.rows(language, count, "\(count)") == text)
    }

    @Test func `a filled text keeps no hole`() {
        for language in Language.allCases {
            #expect(!Text.ofPayments(language, ["part": "1", "whole": "2"]).contains("{"))
            #expect(!Text.madeAt(language, ["position": "1"]).contains("{"))
            #expect(!Text.openFrom(language, ["day": "1"]).contains("{"))
            #expect(!Text.calendarCut(language, ["count": "1"]).contains("{"))
            #expect(!Text.dropFilter(language, ["name": "1"]).contains("{"))
        }
    }

    /// Reads the texts where they are written: each names as many holes in every language.
    @Test func `a text has the same holes in every language`() throws {
        let folder = URL(filePath: #filePath).appending(path: "../../../Sources/Console/Texts").standardized
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        var count = 0
        for file in files where file.lastPathComponent.hasPrefix("Text+") {
            let source = try String(contentsOf: file, encoding: .utf8)
            for literal in source.components(separatedBy: "= Text(").dropFirst() {
                let body = literal.components(separatedBy: "\n    static let").first ?? literal
                let texts = body.components(separatedBy: "\"").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
                guard texts.count >= 4 else { continue }
                let holes = texts.prefix(4).map { text in
                    text.components(separatedBy: "{").dropFirst().map { $0.prefix { $0 != "}" } }.sorted()
                }
                #expect(Set(holes).count == 1, "\(texts[0])")
                count += 1
            }
        }
        #expect(count > 200, "the texts are found")
    }
}
