/** The document that an agent running from sources serves while the chat page isn't built. */
export const NO_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <style>
      body { margin: 4rem auto; max-width: 36rem; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; color-scheme: light dark; }
    </style>
  </head>
  <body>
    <main>
      <h1>The chat page is not built</h1>
      <p>This agent runs from its sources, and answers every call. <code>npm run web</code> in the repository builds its page; then load this again.</p>
      <p><a href="/llms.txt">What this agent answers</a></p>
    </main>
  </body>
</html>
`;
