/// Everything that the API reaches outside itself.
package struct ApiPorts: Sendable {
    package let commands: any CommandDesk
    package let reader: any Reader
    package let handovers: any HandoverDesk
    package let notifications: any NotificationDesk
    package let personal: any PersonalDesk
    package let keys: any KeyDesk
    package let vitals: any Vitals

    package init(
        commands: any CommandDesk,
        reader: any Reader,
        handovers: any HandoverDesk,
        notifications: any NotificationDesk,
        personal: any PersonalDesk,
        keys: any KeyDesk,
        vitals: any Vitals
    ) {
        self.commands = commands
        self.reader = reader
        self.handovers = handovers
        self.notifications = notifications
        self.personal = personal
        self.keys = keys
        self.vitals = vitals
    }
}
