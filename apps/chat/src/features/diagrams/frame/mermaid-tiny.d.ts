/** The URL at which the bundler serves the library. */
declare module '@mermaid-js/tiny/dist/mermaid.tiny.js?url' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: the bundler exports it this way
  export default url;
}
