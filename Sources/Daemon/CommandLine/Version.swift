/// The version of this build.
package enum Version {
    package static let text = "0.1.0"
}
