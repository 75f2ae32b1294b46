// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "shop",
    dependencies: [
        // In a shop of your own: the address of the repository, and a version.
        .package(name: "paystream", path: "../../..")
    ],
    targets: [
        .executableTarget(
            name: "Shop",
            dependencies: [.product(name: "PaystreamClient", package: "paystream")],
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    ],
    swiftLanguageModes: [.v6]
)
