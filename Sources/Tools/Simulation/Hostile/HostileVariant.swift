/// A scene that stands for itself, with all that can happen in it.
package protocol HostileSetting: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    associatedtype Truth: RawRepresentable<String>, Hashable, Sendable

    /// The first part of its cases' names.
    static var table: String { get }

    var truths: [Truth] { get }
    var answers: [HostileAnswer] { get }
    var turns: [HostileTurn] { get }
    var looks: [HostileLook] { get }
}

/// A coordinate of the table of such scenes.
package struct HostileVariant<Scene: HostileSetting>: HostileCoordinate {
    package let scene: Scene
    package let truth: Scene.Truth
    package let answer: HostileAnswer
    package let turn: HostileTurn
    package let look: HostileLook

    package var name: String {
        [Scene.table, scene.rawValue, truth.rawValue, answer.name, turn.rawValue, look.rawValue]
            .joined(separator: "/")
    }

    /// Every case there is, truthful or not.
    static var all: [HostileVariant] {
        var cases: [HostileVariant] = []
        for scene in Scene.allCases {
            for truth in scene.truths {
                for answer in scene.answers {
                    for turn in scene.turns {
                        for look in scene.looks {
                            cases.append(
                                HostileVariant(scene: scene, truth: truth, answer: answer, turn: turn, look: look)
                            )
                        }
                    }
                }
            }
        }
        return cases
    }
}
