// Tells whether a webhook comes from Paystream.
//
// usage: WEBHOOK_SECRET=whsec_… node webhook.js ID TIMESTAMP SIGNATURES <BODY
import { createHmac, timingSafeEqual } from "node:crypto";

interface Delivery {
    id: string;
    timestamp: string;
    signatures: string;
}

/** Throws where a delivery is not to be believed; `body` is the bytes as they came. */
export function verify(secret: string, given: Delivery, body: Uint8Array, tolerance = 300): void {
    if (!(Math.abs(Date.now() / 1000 - Number(given.timestamp)) <= tolerance)) throw new Error("too old");
    const message = Buffer.concat([Buffer.from(`${given.id}.${given.timestamp}.`), body]);
    const expected = createHmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64")).update(message).digest();
    const isGood = given.signatures.split(" ").some((one) => {
        if (!one.startsWith("v1,")) return false;
        const signature = Buffer.from(one.slice(3), "base64");
        return signature.length === expected.length && timingSafeEqual(signature, expected);
    });
    if (!isGood) throw new Error("not from Paystream");
}

async function main(): Promise<void> {
    const parts: Uint8Array[] = [];
    for await (const part of process.stdin) parts.push(part);
    const [id = "", timestamp = "", signatures = ""] = process.argv.slice(2);
    const tolerance = Number(process.env.WEBHOOK_TOLERANCE ?? "300");
    verify(process.env.WEBHOOK_SECRET ?? "", { id, timestamp, signatures }, Buffer.concat(parts), tolerance);
    console.log("good");
}

main().catch((error) => {
    console.error(String(error));
    process.exit(1);
});
