// Makes a payment with the client that OpenAPI Generator made: creates, opens the page, waits, refunds.
import { Configuration, PayersDeviceApi, PaymentsApi, ResponseError } from "./paystream";

declare const process: { env: Record<string, string | undefined>; exit(code: number): never };

async function main(): Promise<void> {
    const configuration = new Configuration({
        basePath: process.env.PAYSTREAM_URL,
        accessToken: process.env.PAYSTREAM_KEY,
    });
    const payments = new PaymentsApi(configuration);
    const device = new PayersDeviceApi(configuration);

    let payment = await payments.createPayment({
        idempotencyKey: "generated-typescript",
        createPayment: {
            mode: "sale",
            amount: { value: 7700, currency: "EUR" },
            reference: "generated-typescript",
            details: { payer: { email: "ann@example.org" } },
        },
    });
    const action = await device.nextAction({ payment: payment.id });
    if (action.type !== "redirect" || action.url === undefined) throw new Error(`no page: ${action.type}`);
    // The payer's browser; this amount pays by itself at the sandbox.
    await (await fetch(action.url)).text();
    for (const end = Date.now() + 20_000; payment.status !== "captured"; ) {
        if (Date.now() > end) throw new Error(`never captured: ${payment.status}`);
        await new Promise((done) => setTimeout(done, 100));
        payment = await payments.getPayment({ payment: payment.id });
    }

    for (let time = 0; time < 2; time += 1) {
        await payments.refundPayment({
            payment: payment.id,
            idempotencyKey: "generated-typescript-refund",
            prefer: "wait=10",
            refund: { amount: { value: 2000, currency: "EUR" }, reason: "one came back" },
        });
    }
    payment = await payments.getPayment({ payment: payment.id });
    if (payment.amounts?.refunded !== 2000) throw new Error(JSON.stringify(payment));

    try {
        await payments.refundPayment({
            payment: payment.id,
            idempotencyKey: "generated-typescript-too-much",
            refund: { amount: { value: 9000, currency: "EUR" } },
        });
    } catch (error) {
        if (!(error instanceof ResponseError)) throw error;
        console.log((await error.response.json()).code);
    }
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
