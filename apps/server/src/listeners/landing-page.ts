/** Returns the page at the platform's own address: plain HTML without scripts and external resources. */
export function landingPage({ apiUrl, domain }: { readonly apiUrl: string; readonly domain: string }): string {
  const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Berth</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif }
  main { max-width: 42rem; margin: 12vh auto; padding: 0 1.5rem }
  h1 { font-size: 1.75rem; margin: 0 }
  pre { padding: 1rem; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: .5rem; overflow-x: auto }
</style>
<main>
  <h1>Berth is running</h1>
  <p>Services are served at <code>&lt;name&gt;.${escapeHtml(domain)}</code>. Deploy a project from the folder Berth was started in:</p>
  <pre>npx berth deploy ./my-project
npx berth ls
npx berth logs my-project -f</pre>
  <p>The API is described at <a href="/openapi.json">${escapeHtml(apiUrl)}/openapi.json</a>.
  The web console is not built here: <code>npm run web</code> builds it, and the next start serves it.</p>
</main>
</html>
`;
}
