/** Makes the browser download `content` as a file. @param type the media type of a text */
export function saveFile(name: string, content: string | Blob, type = ''): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  // Safari reads the URL some time after the click, so it is revoked late.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
