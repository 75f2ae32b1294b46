import Foundation
import Http
import Kernel
import SystemKit

extension Stage {
    /// Follows the event feed by pages from a cursor on, until nothing is behind it; gives the events and the next cursor.
    func events(_ daemon: DaemonProcess, _ query: String = "", after cursor: String? = nil) async throws
        -> (events: [Json], next: String)
    {
        var (all, next) = ([Json](), cursor)
        while true {
            let place = next.map { "&after=\($0)" } ?? ""
            let page = try await call(daemon, .get, "/v1/events?limit=3\(place)\(query)")
            all += page["items"]?.items ?? []
            guard let text = page["next"]?.text else { throw Failure(description: page.canonicalText) }
            next = text
            if page["hasMore"]?.flag != true { return (all, text) }
        }
    }

    /// The same, again and again until a type was told.
    func events(_ daemon: DaemonProcess, _ query: String = "", until type: String, after cursor: String? = nil)
        async throws -> (events: [Json], next: String)
    {
        try await until("\(type) is told") {
            let found = try await self.events(daemon, query, after: cursor)
            let types = found.events.compactMap { $0["type"]?.text }
            return types.contains(type) ? .done(found) : .notYet("\(types)")
        }
    }

    /// Follows the feed as server-sent events by a program in another language; each event is a line of its output.
    func stream(_ daemon: DaemonProcess, _ query: String, lastId: String? = nil, key: String? = nil) throws -> (
        child: ChildProcess, file: String
    ) {
        let script = """
            import http.client, os, sys, urllib.parse
            url = urllib.parse.urlparse(os.environ["URL"])
            connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
            headers = {"Authorization": "Bearer " + os.environ["KEY"], "Accept": "text/event-stream"}
            if os.environ["LAST"]: headers["Last-Event-ID"] = os.environ["LAST"]
            connection.request("GET", os.environ["TARGET"], headers=headers)
            answer = connection.getresponse()
            print(answer.status, answer.headers["Content-Type"], flush=True)
            identity = ""
            while True:
                line = answer.readline().decode()
                if not line: break
                if line.startswith("id: "): identity = line[4:].strip()
                if line.startswith("data: "): print(identity, line[6:].strip(), flush=True)
                if answer.status != 200: print(line.strip(), flush=True)
            print("end", flush=True)
            """
        let file = "\(folder)/stream-\(next()).log"
        let child = try ChildProcess.start(
            "/usr/bin/python3",
            ["-c", script],
            environment: [
                "PATH": "/usr/bin:/bin", "URL": daemon.address, "KEY": key ?? token, "LAST": lastId ?? "",
                "TARGET": "/v1/events?" + query,
            ],
            outputFile: file
        )
        return (child, file)
    }

    /// What a stream told: cursors with events.
    static func told(_ file: String) -> [(cursor: String, event: Json)] {
        (FileTree.text(file) ?? "").split(separator: "\n").compactMap { line in
            let halves = line.split(separator: " ", maxSplits: 1)
            guard halves.count == 2, let event = try? Json(text: String(halves[1])), event["object"] == "event" else {
                return nil
            }
            return (String(halves[0]), event)
        }
    }
}
