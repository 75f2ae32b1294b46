/// The levels and stars of docs/ARCHITECTURE.md, and which of our modules each module may import.
enum TargetTable {
    struct Row: Hashable, Sendable {
        let name: String
        let level: Int
        let folder: String
        /// Pure modules do no I/O, read no clock, draw no random number and never suspend.
        let isPure: Bool
        let mayImport: Set<String>

        /// Whether it is no part of the product.
        var isTool: Bool { folder.hasPrefix("Sources/Tools/") }
    }

    /// Libraries of C, each behind a module map.
    static let systemModules: Set<String> = [
        "CPostgres", "COpenSSL", "CCurl", "CMicrohttpd", "CExpat", "CCsv", "CZlib", "CXlsxWriter", "CShims",
    ]
    /// What every module of level 2 and above may import besides its own row.
    static let base: Set<String> = ["Kernel", "EventSourcing", "Http", "Crypto"]
    /// What the adapters, one per provider, may import.
    private static let belowAdapters: Set<String> = ["ProviderKit", "Payments", "Schedules"]

    static let rows: [Row] = [
        row("Kernel", 0, pure: true, []),
        // A product for programs of others, which speak to the daemon over HTTP alone.
        row("PaystreamClient", 0, []),
        row("Http", 1, pure: true, ["Kernel"]),
        row("Crypto", 1, pure: true, ["Kernel", "COpenSSL"]),
        row("EventSourcing", 1, pure: true, ["Kernel"]),
        row("Xml", 1, pure: true, ["CExpat"]),
        // What a program needs of its system: words of a command line, files, processes, signals, the clock.
        row("SystemKit", 1, ["Kernel", "CShims"]),
        row("Settlement", 2, pure: true, ["CCsv", "CZlib"]),
        row("Payments", 2, pure: true, []),
        row("Schedules", 2, pure: true, []),
        row("Postgres", 2, ["CPostgres", "COpenSSL", "CShims", "SystemKit"]),
        row("HttpClient", 2, ["CCurl", "CShims", "SystemKit"]),
        row("HttpServer", 2, ["CMicrohttpd", "CShims", "SystemKit"]),
        row("Telemetry", 2, ["SystemKit"]),
        row("Spreadsheet", 2, ["CXlsxWriter"]),
        row("ProviderKit", 3, pure: true, ["Payments", "Schedules"]),
        row("Projections", 3, pure: true, ["Payments", "Schedules", "Settlement"]),
        row("SberPay", 4, folder: "Sources/Providers/SberPay", pure: true, belowAdapters),
        row("Ecommpay", 4, folder: "Sources/Providers/Ecommpay", pure: true, belowAdapters),
        row("Portmone", 4, folder: "Sources/Providers/Portmone", pure: true, belowAdapters.union(["Xml"])),
        row("Dolyame", 4, folder: "Sources/Providers/Dolyame", pure: true, belowAdapters),
        row("WorldlineDirect", 4, folder: "Sources/Providers/WorldlineDirect", pure: true, belowAdapters),
        row("Store", 4, ["Postgres", "Projections", "Settlement", "Payments", "Schedules", "ProviderKit"]),
        row("Decisions", 5, pure: true, ["Payments", "Schedules", "ProviderKit"]),
        row("Engine", 6, ["Decisions", "Payments", "Schedules", "ProviderKit", "Telemetry"]),
        row(
            "Api",
            7,
            ["Decisions", "Engine", "Payments", "Schedules", "Projections", "ProviderKit", "Settlement", "Telemetry"]
        ),
        // Pages over the API's own endpoints: it reaches no store and no aggregate.
        row("Console", 8, ["Api", "Schedules", "Telemetry"]),
        // The simulators are written from the providers' documents, so that both sides can't share a mistake.
        tool("Sandbox", 5, ["HttpClient", "HttpServer", "Telemetry"]),
        tool("Conformance", 4, folder: "Conformance/Core", belowAdapters),
        conformance("Dolyame", "Dolyame"), conformance("Ecommpay", "Ecommpay"),
        conformance("Portmone", "Portmone", ["Xml"]),
        conformance("SberPay", "SberPay"), conformance("Worldline", "WorldlineDirect"),
        tool("Benchmarks", 5, ["Payments", "Store"]),
        row("Daemon", 9, product(below: 9).union(["CShims"])),
        tool("Cluster", 3, ["SystemKit"]),
        tool("Drill", 10, ["Daemon", "Engine", "HttpClient"]),
        tool("Dev", 10, product(below: 10).union(["Cluster", "Sandbox"])),
        tool("Bench", 10, product(below: 10).union(["Cluster", "Sandbox", "Benchmarks"])),
        row("Cli", 11, product(below: 11).union(tools)),
        row("paystream", 12, ["Cli"]),
        tool("TestKit", 8, product(below: 8).union(["Cluster"])),
        tool("Simulation", 9, product(below: 8).union(["Sandbox", "TestKit"])),
        tool("simulate", 10, ["Simulation"]),
    ]

    static func row(named name: String) -> Row? { rows.first { $0.name == name } }

    /// The row whose folder holds a file.
    static func row(holding path: String) -> Row? { rows.first { path.hasPrefix($0.folder + "/") } }

    private static func row(
        _ name: String,
        _ level: Int,
        folder: String? = nil,
        pure: Bool = false,
        _ others: Set<String>
    ) -> Row {
        Row(
            name: name,
            level: level,
            folder: folder ?? "Sources/\(name)",
            isPure: pure,
            mayImport: others.union(level >= 2 ? base : [])
        )
    }

    /// What is no part of the product: nothing imports it but the command line and tests.
    private static func tool(_ name: String, _ level: Int, folder: String? = nil, _ others: Set<String>) -> Row {
        row(name, level, folder: "Sources/Tools/\(folder ?? name)", others)
    }

    /// The judges of one provider's vector files.
    private static func conformance(_ name: String, _ adapter: String, _ others: Set<String> = []) -> Row {
        let others = belowAdapters.union(others).union(["Conformance", adapter])
        return tool("\(name)Conformance", 5, folder: "Conformance/\(adapter)", others)
    }

    /// What the command line alone knows of the tools.
    private static let tools: Set<String> = [
        "Cluster", "Drill", "Dev", "Bench", "Sandbox", "Conformance", "DolyameConformance", "EcommpayConformance",
        "PortmoneConformance", "SberPayConformance", "WorldlineConformance",
    ]

    /// The modules of the product below a level.
    private static func product(below level: Int) -> Set<String> {
        let lower = [
            0: ["Kernel"], 1: ["Http", "Crypto", "EventSourcing", "Xml"],
            2: [
                "Settlement", "Payments", "Schedules", "Postgres", "HttpClient", "HttpServer", "Telemetry", "SystemKit",
                "Spreadsheet",
            ],
            3: ["ProviderKit", "Projections"],
            4: ["Ecommpay", "Dolyame", "Portmone", "SberPay", "WorldlineDirect", "Store"],
            5: ["Decisions"], 6: ["Engine"], 7: ["Api"],
            8: ["Console"], 9: ["Daemon"],
        ]
        return Set(lower.filter { $0.key < level }.flatMap(\.value))
    }
}
