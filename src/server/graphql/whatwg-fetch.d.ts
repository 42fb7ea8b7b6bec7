/**
 * Stands for the types of `@whatwg-node/fetch`, which bring those of browsers into the whole project: a misspelt name that a
 * browser has would then pass for a variable. Nothing here imports the package; tsconfig.json leads to this file.
 */
export const fetch: typeof globalThis.fetch;
export const Request: typeof globalThis.Request;
export const Response: typeof globalThis.Response;
export const Headers: typeof globalThis.Headers;
export const FormData: typeof globalThis.FormData;
export const ReadableStream: typeof globalThis.ReadableStream;
export const URL: typeof globalThis.URL;
export const TextEncoder: typeof globalThis.TextEncoder;
export const TextDecoder: typeof globalThis.TextDecoder;
