/// Everything that the API reaches outside itself.
package struct ApiPorts: Sendable {
    package let commands: any CommandDesk
    package let reader: any Reader
    package let handovers: any HandoverDesk
    package let inquiries: any InquiryDesk
    package let notifications: any NotificationDesk
    package let personal: any PersonalDesk
    /// Where nothing can be kept in memory, the adapter refuses what must not be stored.
    package let once: (any OnceDesk)?
    /// Without one there are no routes about bills.
    package let bills: (any BillDesk)?
    package let clocks: any ClockDesk
    package let dunning: any DunningDesk
    package let calendars: any CalendarDesk
    package let keys: any KeyDesk
    package let vitals: any Vitals

    package init(
        commands: any CommandDesk,
        reader: any Reader,
        handovers: any HandoverDesk,
        inquiries: any InquiryDesk,
        notifications: any NotificationDesk,
        personal: any PersonalDesk,
        once: (any OnceDesk)? = nil,
        bills: (any BillDesk)? = nil,
        clocks: any ClockDesk = NoClockDesk(),
        dunning: any DunningDesk,
        calendars: any CalendarDesk,
        keys: any KeyDesk,
        vitals: any Vitals
    ) {
        self.commands = commands
        self.reader = reader
        self.handovers = handovers
        self.inquiries = inquiries
        self.notifications = notifications
        self.personal = personal
        self.once = once
        self.bills = bills
        self.clocks = clocks
        self.dunning = dunning
        self.calendars = calendars
        self.keys = keys
        self.vitals = vitals
    }
}

extension Api {
    /// Where there is none, endpoints about bills are not reached.
    var bills: any BillDesk {
        guard let bills = ports.bills else { preconditionFailure("no desk for bills") }
        return bills
    }
}
