/** Where the bundler puts the library. */
declare module '@mermaid-js/tiny/dist/mermaid.tiny.js?url' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: as the bundler exports it
  export default url;
}
