import Kernel

enum OpenApi { static let document: Json = [:] }
