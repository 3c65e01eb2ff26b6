/** A script that sets `globalThis.mermaid`; the package declares no types. */
declare module '@mermaid-js/tiny';
