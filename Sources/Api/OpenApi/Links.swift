import Kernel

/// Where the things that an answer names can be used.
enum Links {
    static func of(_ route: Route) -> Json? {
        switch route {
        case .getClock, .ownClock, .advanceClock, .listSchedules, .previewSchedule, .getSchedule, .changeSchedule,
            .pauseSchedule, .resumeSchedule,
            .cancelSchedule, .runOccurrence, .listOccurrences, .previewOccurrences, .scheduleEvents, .listDunning,
            .keepDunning, .listZones, .listCalendars:
            return nil
        case .createPayment:
            let targets = Route.allCases.filter {
                $0.pattern.hasPrefix("/v1/payments/{payment}") && $0.pattern.split(separator: "{").count == 2
            }
            return links(targets, ["payment": "$response.body#/id"])
        case .createTransfer:
            let targets = Route.allCases.filter {
                $0.pattern.hasPrefix("/v1/transfers/{transfer}") && $0.pattern.split(separator: "{").count == 2
            }
            return links(targets, ["transfer": "$response.body#/id"])
        case .createSchedule:
            let targets = Route.allCases.filter { $0.pattern.hasPrefix("/v1/schedules/{schedule}") }
            return links(targets, ["schedule": "$response.body#/id"])
        case .proposeTransferResolution:
            return links(
                [.approveTransferResolution],
                ["transfer": "$request.path.transfer", "resolution": "$response.body#/resolutions/0/id"]
            )
        case .openDispute:
            return links(
                [.winDispute, .loseDispute],
                ["payment": "$request.path.payment", "dispute": "$response.body#/disputes/0/id"]
            )
        case .proposeResolution:
            return links(
                [.approveResolution],
                ["payment": "$request.path.payment", "resolution": "$response.body#/resolutions/0/id"]
            )
        case .getPayment:
            return links(
                [.getInstrument, .removeInstrument, .checkInstrument],
                ["instrument": "$response.body#/savedInstruments/0"]
            )
        case .listPayments, .confirmPayment, .capturePayment, .completeDelivery, .voidPayment, .refundPayment,
            .syncPayment,
            .appParameters, .signature, .nextAction, .paymentEvents, .paymentReadModel, .winDispute, .loseDispute,
            .addEvidence, .addTransferEvidence, .approveResolution, .listUnresolved, .configureAccount, .listAccounts,
            .getRouting, .setRouting, .getRoutes,
            .setRoutes, .explainRoute,
            .getInstrument, .removeInstrument, .checkInstrument, .inboxOutcome, .notification, .browserReturn, .openApi,
            .health,
            .readiness, .metrics, .listTransfers, .getTransfer, .confirmTransfer, .syncTransfer,
            .transferAppParameters, .transferNextAction, .transferEvents, .approveTransferResolution,
            .testConnection, .openSession, .listProducts, .getProduct, .checkFields, .cardPrefix, .listInstruments,
            .bankReturn:
            return nil
        }
    }

    private static func links(_ routes: [Route], _ parameters: Json) -> Json {
        .object(
            JsonObject(
                routes.map { ($0.rawValue, ["operationId": .string($0.rawValue), "parameters": parameters]) }
            )
        )
    }
}
