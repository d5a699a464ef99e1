/** How wide the outer columns are drawn: as they were set, as far as that leaves the chat its room. */

const SIDEBAR = { min: 180, max: 400 };
const SIDE = { min: 300, max: 720 };
/** What the chat keeps, pixels. Both columns at their least leave it that, wherever they are no drawers. */
const CHAT = 360;

export interface Column {
  width: number;
  min: number;
  max: number;
}

/** Both columns in a window of `width` pixels; null for one that isn't there. */
export function columns(width: number, sidebar: number | null, side: number | null): { sidebar: Column; side: Column } {
  const first = column(SIDEBAR, sidebar ?? 0, width - CHAT - (side === null ? 0 : SIDE.min));
  return { sidebar: first, side: column(SIDE, side ?? 0, width - CHAT - (sidebar === null ? 0 : first.width)) };
}

function column({ min, max }: { min: number; max: number }, wanted: number, room: number): Column {
  const most = Math.max(min, Math.min(max, room));
  return { width: Math.max(min, Math.min(most, wanted)), min, max: most };
}
