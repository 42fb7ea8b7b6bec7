const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Half a character, which JSON lets in and UTF-8 cannot hold, becomes the character for it. ES2024 has this built in. */
export const wellFormed = (text: string): string => text.replace(LONE_SURROGATES, '\ufffd');
