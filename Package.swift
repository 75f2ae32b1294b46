// swift-tools-version: 6.2
import PackageDescription

/// The switches every Swift target is built with: Swift 6 language mode, explicit import visibility, warnings are errors.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
]

/// The modules that touch C memory mark every unsafe expression.
let strictMemory: [SwiftSetting] = strict + [.strictMemorySafety()]

/// Tests run what people run: programs are optimised in debug builds as well, and keep their assertions.
///
/// Who looks at them with a debugger sets `PAYSTREAM_PLAIN`. CI builds programs once, for the tests and as people run them
/// (`docs/decisions/0334-ci-builds-once.md`).
let optimised: [SwiftSetting] =
    (Context.environment["PAYSTREAM_PLAIN"] == nil
        ? [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : [])
    + (Context.environment["CI"] == "true"
        ? [.unsafeFlags(["-enable-testing", "-assert-config", "Debug"], .when(configuration: .release))] : [])

/// Whether a drill may end the process at points on the way of money: wherever tests run, and in nothing that people run.
let crashPoints: SwiftSetting =
    Context.environment["PAYSTREAM_CRASH_POINTS"] == "true"
    ? .define("CRASH_POINTS") : .define("CRASH_POINTS", .when(configuration: .debug))

/// Declares a library target of ours.
func module(
    _ name: String,
    _ dependencies: [String],
    path: String? = nil,
    resources: [Resource]? = nil,
    settings: [SwiftSetting] = strict
) -> Target {
    .target(
        name: name,
        dependencies: dependencies.map { .byName(name: $0) },
        path: path,
        resources: resources,
        swiftSettings: settings + optimised
    )
}

/// Declares the tests of a target.
func tests(_ name: String, _ dependencies: [String], path: String? = nil, exclude: [String] = []) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies.map { .byName(name: $0) },
        path: path,
        exclude: exclude,
        // Optimising takes longer than what the tests themselves do.
        swiftSettings: strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]
    )
}

let pure = ["Kernel", "Http", "Crypto", "EventSourcing"]
let domain = pure + ["Payments", "Schedules", "ProviderKit"]

let package = Package(
    name: "paystream",
    products: [
        .executable(name: "paystream", targets: ["paystream"]),
        .library(name: "PaystreamClient", targets: ["PaystreamClient"]),
        // Loaded before a program that is measured; nothing links it.
        .library(name: "allocations", type: .dynamic, targets: ["Allocations"]),
        .library(name: "slowflush", type: .dynamic, targets: ["SlowFlush"]),
    ],
    targets: [
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CCsv", providers: [.apt(["libcsv-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CXlsxWriter", pkgConfig: "xlsxwriter", providers: [.apt(["libxlsxwriter-dev"])]),
        .target(name: "CShims", dependencies: ["CCurl", "CMicrohttpd"]),

        // For programs of others: nothing of ours imports it, and it imports nothing of ours.
        // Without unsafe switches, so that packages elsewhere may depend on it.
        .target(name: "PaystreamClient", swiftSettings: strict),

        module("Kernel", []),
        module("Http", ["Kernel"]),
        module("Crypto", ["Kernel", "COpenSSL"], settings: strictMemory),
        module("EventSourcing", ["Kernel"]),
        module("Xml", ["CExpat"], settings: strictMemory),
        module("SystemKit", ["Kernel", "CShims"]),

        module("Settlement", ["Kernel", "CCsv", "CZlib"], settings: strictMemory),
        module("Payments", pure),
        module("Schedules", pure),
        module("Postgres", ["Kernel", "SystemKit", "CPostgres", "COpenSSL", "CShims"], settings: strictMemory),
        module("HttpClient", ["Kernel", "SystemKit", "Http", "CCurl", "CShims"], settings: strictMemory),
        module("HttpServer", ["Kernel", "SystemKit", "Http", "CMicrohttpd", "CShims"], settings: strictMemory),
        module("Telemetry", ["Kernel", "SystemKit"]),
        module("Spreadsheet", ["CXlsxWriter"], settings: strictMemory),

        module("ProviderKit", pure + ["Payments", "Schedules"]),
        module("Projections", ["Kernel", "Crypto", "EventSourcing", "Payments", "Schedules", "Settlement"]),
        module("Ecommpay", domain, path: "Sources/Providers/Ecommpay"),
        module("Portmone", ["Xml"] + domain, path: "Sources/Providers/Portmone"),
        module("Dolyame", domain, path: "Sources/Providers/Dolyame"),
        module("WorldlineDirect", domain, path: "Sources/Providers/WorldlineDirect"),
        module("SberPay", domain, path: "Sources/Providers/SberPay"),
        module("Conformance", domain, path: "Sources/Tools/Conformance/Core"),
        module("DolyameConformance", ["Conformance", "Dolyame"] + domain, path: "Sources/Tools/Conformance/Dolyame"),
        module(
            "EcommpayConformance",
            ["Conformance", "Ecommpay"] + domain,
            path: "Sources/Tools/Conformance/Ecommpay"
        ),
        module(
            "PortmoneConformance",
            ["Conformance", "Portmone", "Xml"] + domain,
            path: "Sources/Tools/Conformance/Portmone"
        ),
        module("SberPayConformance", ["Conformance", "SberPay"] + domain, path: "Sources/Tools/Conformance/SberPay"),
        module(
            "WorldlineConformance",
            ["Conformance", "WorldlineDirect"] + domain,
            path: "Sources/Tools/Conformance/WorldlineDirect"
        ),
        module(
            "Store",
            ["Postgres", "Projections", "Settlement"] + domain,
            resources: ["migrations", "functions", "roles"].map { .embedInCode("Schema/\($0)") }
        ),

        module("Decisions", domain),
        module("Engine", ["Decisions", "Telemetry"] + domain),
        module("Api", ["Decisions", "Engine", "Projections", "Settlement", "Telemetry"] + domain),
        module(
            "Console",
            pure + ["Api", "Telemetry", "Schedules"],
            resources: [.embedInCode("Resources")]
        ),
        .target(name: "Allocations", path: "Sources/Tools/Allocations"),
        .target(name: "SlowFlush", path: "Sources/Tools/SlowFlush"),
        module("Benchmarks", ["Store", "Payments"] + pure, path: "Sources/Tools/Benchmarks"),
        module(
            "Sandbox",
            ["Kernel", "Http", "Crypto", "HttpClient", "HttpServer", "Telemetry"],
            path: "Sources/Tools/Sandbox"
        ),

        module(
            "Daemon",
            [
                "Postgres", "HttpClient", "HttpServer", "Telemetry", "Projections", "Ecommpay", "Portmone", "Dolyame",
                "WorldlineDirect", "SberPay", "Store", "Decisions", "Engine", "Api", "Console", "Settlement",
                "SystemKit", "Spreadsheet",
                "CShims",
            ] + domain
        ),

        module("Cluster", ["Kernel", "SystemKit"], path: "Sources/Tools/Cluster"),
        module(
            "Drill",
            ["Daemon", "Engine", "HttpClient"] + pure,
            path: "Sources/Tools/Drill",
            settings: strict + [crashPoints]
        ),
        module(
            "Dev",
            [
                "Daemon", "Cluster", "SystemKit", "Sandbox", "Postgres", "Store", "Decisions", "Engine", "Api",
                "HttpClient",
            ] + domain,
            path: "Sources/Tools/Dev"
        ),
        module(
            "Bench",
            [
                "Daemon", "Cluster", "SystemKit", "Sandbox", "Benchmarks", "Postgres", "Store", "Decisions", "Engine",
                "Api",
                "HttpClient", "HttpServer", "Telemetry", "Projections", "Ecommpay", "Portmone", "Dolyame",
                "WorldlineDirect", "SberPay", "Settlement",
            ] + domain,
            path: "Sources/Tools/Bench"
        ),
        module(
            "Cli",
            [
                "Daemon", "SystemKit", "Cluster", "Drill", "Dev", "Bench", "Sandbox", "Conformance",
                "DolyameConformance", "EcommpayConformance", "PortmoneConformance", "SberPayConformance",
                "WorldlineConformance", "Postgres", "Store", "Decisions", "Engine", "Api", "HttpClient", "Telemetry",
                "Projections", "Settlement",
            ] + domain,
            resources: [.embedInCode("Adapter/Skeleton")]
        ),
        // Memory comes from jemalloc (`docs/decisions/0340-memory-from-jemalloc.md`); a sanitizer has an allocator of its own.
        .executableTarget(
            name: "paystream",
            dependencies: ["Cli"],
            swiftSettings: strict,
            linkerSettings: [.linkedLibrary("jemalloc", .when(configuration: .release))]
        ),

        module(
            "TestKit",
            ["Api", "Cluster", "Postgres", "Store", "Decisions", "Engine", "HttpClient", "HttpServer"] + domain,
            path: "Sources/Tools/TestKit"
        ),
        module(
            "Simulation",
            [
                "Decisions", "Engine", "Projections", "Telemetry", "TestKit", "Sandbox", "Ecommpay", "Portmone",
                "Dolyame", "WorldlineDirect", "SberPay",
            ] + domain,
            path: "Sources/Tools/Simulation"
        ),
        .executableTarget(
            name: "simulate",
            dependencies: ["Simulation", "Kernel"],
            path: "Sources/Tools/simulate",
            swiftSettings: strict
        ),
        tests("SimulationTests", ["Simulation"]),
        tests("HostileProviderTests", ["Simulation", "Kernel", "TestKit"], exclude: ["open.txt"]),
        tests("PaystreamClientTests", ["PaystreamClient", "Api", "Kernel"]),
        tests("KernelTests", ["Kernel", "TestKit"]),
        tests("HttpTests", ["Http", "Kernel"]),
        tests("CryptoTests", ["Crypto", "Kernel", "TestKit"]),
        tests("XmlTests", ["Xml"]),
        tests("SettlementTests", ["Settlement", "Kernel"]),
        tests("EventSourcingTests", ["EventSourcing", "Kernel", "TestKit"]),
        tests("PaymentsTests", ["Payments", "Projections", "TestKit"] + pure, exclude: ["Golden"]),
        tests("SchedulesTests", ["Schedules", "TestKit"] + pure, exclude: ["Golden", "Oracle"]),
        tests("PostgresTests", ["Postgres", "Kernel", "TestKit"]),
        tests("HttpClientTests", ["HttpClient", "Http", "Kernel", "TestKit"]),
        tests("HttpServerTests", ["HttpServer", "HttpClient", "Http", "Kernel", "TestKit"]),
        tests("TelemetryTests", ["Telemetry", "Kernel", "TestKit"]),
        tests(
            "WorldlineDirectTests",
            ["WorldlineDirect", "Conformance", "WorldlineConformance", "Decisions", "Engine", "Telemetry", "TestKit"]
                + domain,
            exclude: ["Golden"]
        ),
        tests(
            "EcommpayTests",
            ["Ecommpay", "Conformance", "EcommpayConformance", "TestKit"] + domain,
            exclude: ["Golden"]
        ),
        tests(
            "PortmoneTests",
            ["Portmone", "Conformance", "PortmoneConformance", "TestKit"] + domain,
            exclude: ["Golden"]
        ),
        tests(
            "DolyameTests",
            ["Dolyame", "Conformance", "DolyameConformance", "TestKit"] + domain,
            exclude: ["Golden"]
        ),
        tests(
            "SberPayTests",
            ["SberPay", "Conformance", "SberPayConformance", "TestKit"] + domain,
            exclude: ["Golden"]
        ),
        tests("StoreTests", ["Store", "Postgres", "Projections", "TestKit"] + domain),
        tests("DecisionsTests", ["Decisions", "Portmone", "TestKit"] + domain),
        tests("EngineTests", ["Decisions", "Engine", "Ecommpay", "Portmone", "TestKit", "Telemetry"] + domain),
        tests(
            "ApiTests",
            [
                "Api", "Daemon", "SystemKit", "Decisions", "Engine", "Dolyame", "Ecommpay", "Portmone",
                "WorldlineDirect", "TestKit",
                "Projections", "Settlement",
                "Telemetry", "Postgres",
            ]
                + domain,
            exclude: ["Golden"]
        ),
        tests(
            "ConsoleTests",
            ["Console", "Api", "Payments", "Projections", "Schedules", "Http", "Kernel", "EventSourcing"]
        ),
        tests("BenchmarksTests", ["Benchmarks", "Kernel"]),
        tests(
            "SandboxTests",
            ["Sandbox", "Dolyame", "Ecommpay", "WorldlineDirect", "HttpClient", "HttpServer", "TestKit"] + domain
        ),
        tests(
            "DaemonTests",
            [
                "Cli", "Daemon", "Cluster", "Drill", "Dev", "SystemKit", "TestKit", "HttpClient", "HttpServer",
                "Postgres", "Store", "Api", "Telemetry", "Decisions", "Engine", "Projections", "Sandbox", "Settlement",
                "PaystreamClient",
            ]
                + domain,
            exclude: ["KeptLogs"]
        ),
        tests("Soundness", []),
    ],
    swiftLanguageModes: [.v6]
)
