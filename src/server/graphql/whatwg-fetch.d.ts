/**
 * Stands for the types of `@whatwg-node/fetch`, which bring those of browsers into the whole project: a misspelt name that a
 * browser has would then pass for a variable. Nothing here imports the package; tsconfig.json leads to this file.
 */
export {};
