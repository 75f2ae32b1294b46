/// Words of our own that no field uses, each with the word to use instead, and the names that still have one.
enum PrivateWords {
    static let instead = [
        "errand": "auxiliary request",
        "sighting": "provider transaction",
        "matter": "open item",
        "oddity": "anomaly",
        "leave": "mandate",
        "wake": "timer",
        "desk": "the service itself",
        "shelf": "quarantine, cache, or the register itself",
        "board": "registry, or what it keeps",
        "bell": "signal or notifier",
        "workbench": "conformance",
        "upkeep": "scheduler or janitor",
        "histories": "stream cache",
        "taken": "whose and what: accepted, captured, claimed",
        "told": "whose and what: observation, notice, answer",
        "seen": "whose and what: observation, provider transaction",
        "place": "whose and what: index, path, stream",
    ]

    /// Common words, which are private only where they are the whole name.
    static let alone: Set<String> = ["taken", "told", "seen", "place"]

    /// Other forms of them.
    static let forms = [
        "errands": "errand", "sightings": "sighting", "matters": "matter", "oddities": "oddity", "wakes": "wake",
        "desks": "desk", "shelves": "shelf", "shelved": "shelf", "boards": "board", "bells": "bell",
    ]

    /// Names that mean the plain word, one a line: the module and the name.
    ///
    /// A line goes when its name has gone.
    static let exceptions = [
        // Plain English: a thread, a loop or a clock is woken, a connection is left.
        "HttpClient wake",
        "HttpServer leave",
        "HttpServer wake",
        "Tools/TestKit wakeNext",
    ]
}
