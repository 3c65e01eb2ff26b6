/** Whether the keyboard has ⌘ where others have Ctrl. */
export const IS_MAC = navigator.platform.startsWith('Mac') || /iPhone|iPad/.test(navigator.platform);
