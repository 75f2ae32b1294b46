public import Foundation

/// How far a reader of the feed has come.
public struct FeedPosition: Codable, Hashable, Sendable {
    /// Behind which page it is; at the beginning without one.
    public var cursor: String?
    /// Events of the page behind the cursor that were handled already.
    public var handled: [String]

    public init(cursor: String? = nil, handled: [String] = []) {
        self.cursor = cursor
        self.handled = handled
    }
}

/// Keeps how far a reader has come, for its next start.
///
/// A program with a database keeps it there, in the transaction that handles the event: then each event is handled once.
public protocol Checkpoint: Sendable {
    func read() async throws -> FeedPosition
    func save(_ position: FeedPosition) async throws
}

/// A checkpoint in a file that is replaced as a whole.
public struct FileCheckpoint: Checkpoint {
    private let file: URL

    public init(_ file: URL) { self.file = file }
    public init(path: String) { file = URL(filePath: path) }

    public func read() throws -> FeedPosition {
        guard FileManager.default.fileExists(atPath: file.path) else { return FeedPosition() }
        return try Wire.decode(FeedPosition.self, from: Data(contentsOf: file))
    }

    /// Writes beside the file, brings the bytes to the disk, and renames.
    public func save(_ position: FeedPosition) throws {
        let beside = file.appendingPathExtension("new")
        guard FileManager.default.createFile(atPath: beside.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: beside.path])
        }
        let handle = try FileHandle(forWritingTo: beside)
        do {
            try handle.write(contentsOf: Wire.encode(position))
            try handle.synchronize()
        } catch {
            try? handle.close()
            throw error
        }
        try handle.close()
        guard rename(beside.path, file.path) == 0 else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path])
        }
    }
}
