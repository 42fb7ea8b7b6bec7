const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Replaces half characters, which JSON admits and UTF-8 cannot hold. ES2024 has this built in. */
export const wellFormed = (text: string): string => text.replace(LONE_SURROGATES, '\ufffd');
