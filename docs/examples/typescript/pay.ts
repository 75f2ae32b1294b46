// Makes a payment, waits for its outcome in the event feed, and gives a part of it back.
//
// usage: PAYSTREAM_URL=http://127.0.0.1:8080 PAYSTREAM_KEY=psk_… node pay.js ORDER

const base = process.env.PAYSTREAM_URL ?? "";
const attempts = 5;

/** What the examples read of answers; docs/clients.md tells how to generate all types from the OpenAPI document. */
interface Payment {
    id: string;
    status: string;
}
interface NextAction {
    type: string;
    url?: string;
}
interface EventPage {
    items: { id: string; type: string; data: unknown }[];
    next: string;
}
interface Problem {
    code: string;
    detail?: string;
    path?: string;
}

/** Calls the API; a lost answer, 429 and 503 are repeated, which the idempotency key makes safe. */
async function api<Value>(method: string, path: string, body?: object, key?: string): Promise<Value> {
    const headers: Record<string, string> = {
        Authorization: `Bearer ${process.env.PAYSTREAM_KEY}`,
        "Content-Type": "application/json",
    };
    if (key !== undefined) headers["Idempotency-Key"] = key;
    for (let attempt = 1; ; attempt += 1) {
        let answer: Response | undefined;
        const watch = new AbortController();
        const timer = setTimeout(() => watch.abort(), 60_000);
        try {
            answer = await fetch(base + path, { method, headers, body: JSON.stringify(body), signal: watch.signal });
        } catch (lost) {
            if (attempt === attempts) throw lost;
        } finally {
            clearTimeout(timer);
        }
        if (answer?.ok) return (await answer.json()) as Value;
        if (answer !== undefined && (![429, 502, 503, 504].includes(answer.status) || attempt === attempts)) {
            // Its code is for programs, its detail for people.
            const problem = (await answer.json()) as Problem;
            throw new Error(`${method} ${path}: ${answer.status} ${problem.code} ${problem.detail ?? ""}`);
        }
        const asked = Number(answer?.headers.get("Retry-After") ?? 0) * 1000;
        const pause = Math.max(asked, (100 + 100 * Math.random()) * 2 ** attempt);
        await new Promise((done) => setTimeout(done, pause));
    }
}

/** Waits for an event of a payment, without asking again and again: the daemon holds its answer back. */
async function awaitEvent(payment: string, type: string): Promise<void> {
    const query = new URLSearchParams({ resource: payment, types: type, wait: "30" });
    for (;;) {
        const page = await api<EventPage>("GET", `/v1/events?${query}`);
        if (page.items.length > 0) return;
        query.set("after", page.next);
    }
}

async function main(order: string): Promise<void> {
    const fresh = {
        mode: "sale",
        amount: { value: 7700, currency: "EUR" },
        reference: order,
        details: { payer: { email: "ann@example.org" } },
    };
    const payment = await api<Payment>("POST", "/v1/payments", fresh, order);

    // Here you answer the payer's browser with a redirect (303) to this address. The fetch is the payer: this amount pays
    // by itself at the sandbox. Once it is paid there is no address any more.
    const action = await api<NextAction>("GET", `/v1/payments/${payment.id}/next-action`);
    if (action.url !== undefined) await (await fetch(action.url)).text();

    await awaitEvent(payment.id, "payment.captured");
    console.log(`${order} is paid`);

    const half = { amount: { value: 2000, currency: "EUR" }, reason: "one came back" };
    await api<Payment>("POST", `/v1/payments/${payment.id}/refund`, half, `${order}-refund`);
    await awaitEvent(payment.id, "refund.succeeded");
    console.log(`${order} is ${(await api<Payment>("GET", `/v1/payments/${payment.id}`)).status}`);
}

main(process.argv[2] ?? "order-1").catch((error) => {
    console.error(error);
    process.exit(1);
});
