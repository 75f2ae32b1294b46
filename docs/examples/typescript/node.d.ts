// What these examples use of Node. In a program of yours, `@types/node` declares all of it.
declare const process: {
    argv: string[];
    env: Record<string, string | undefined>;
    stdin: AsyncIterable<Uint8Array>;
    exit(code: number): never;
};

declare const Buffer: {
    from(text: string, encoding?: "base64" | "utf8"): Uint8Array;
    concat(parts: Uint8Array[]): Uint8Array;
};

declare module "node:crypto" {
    interface Hmac {
        update(data: Uint8Array): Hmac;
        digest(): Uint8Array;
    }
    export function createHmac(algorithm: string, key: Uint8Array): Hmac;
    export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean;
}
