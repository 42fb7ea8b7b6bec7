/**
 * Loaded only where YAML is printed. Of a package in CommonJS a bundled `import()` gives only the default; a module of
 * our own gives names.
 */
export { stringify } from 'yaml';
