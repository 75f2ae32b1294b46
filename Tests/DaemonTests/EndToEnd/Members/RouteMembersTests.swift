import Glibc
import Http
import Kernel
import TestKit
import Testing

/// Each request that the OpenAPI document knows has a test that posts all its members and looks for what became of them.
@Suite(.timeLimit(.minutes(1)))
struct RouteMembersTests {
    @Test func `each request of the document is held by a test`() async throws {
        try await Stage.run("e2eroutemembers") { stage, daemon in
            let document = try await stage.call(daemon, .get, "/openapi.json")
            let tests = try Self.tests()
            for (operation, schema) in Self.requests(document) {
                let members = document.at("components", "schemas", schema, "properties")?.members?.names ?? []
                // What has no members, and what an SDK said in its own words, has nothing to hold.
                guard !members.isEmpty else { continue }
                #expect(tests.contains("\"\(schema)\""), "\(operation): no test posts the members of \(schema)")
            }
        }
    }

    /// The sources of the tests beside this one: `holdEvery` names the request that it holds against the document.
    private static func tests(_ file: String = #filePath) throws -> String {
        let folder = String(file.dropLast("/RouteMembersTests.swift".count))
        let directory = try #require(opendir(folder))
        defer { closedir(directory) }
        var text = ""
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix(".swift") else { continue }
            text += String(decoding: try FileBytes.read("\(folder)/\(name)"), as: UTF8.self)
        }
        return text
    }

    /// Operations with the schema of their JSON body.
    private static func requests(_ document: Json) -> [(String, String)] {
        var found: [(String, String)] = []
        for path in document["paths"]?.members?.members ?? [] {
            for operation in path.value.members?.members ?? [] {
                for content in operation.value.at("requestBody", "content")?.members?.members ?? [] {
                    guard let reference = content.value.at("schema", "$ref")?.text,
                        let name = reference.split(separator: "/").last
                    else { continue }
                    found.append((operation.value["operationId"]?.text ?? path.name, String(name)))
                }
            }
        }
        return found
    }
}
