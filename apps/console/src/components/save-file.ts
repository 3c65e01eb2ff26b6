/** Makes the browser download `content` as a file. */
export function saveFile(name: string, content: string | Blob, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Safari reads the URL some time after the click, so it is revoked late.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
