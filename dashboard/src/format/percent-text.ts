/** A share from 0 to 1 as a percentage that never rounds up to a whole: 0.9999 is 99.9%, and only all is 100%. */
export function percentText(share: number): string {
  const tenths = Math.floor(share * 1_000 + 1e-9)
  return tenths % 10 === 0 ? `${tenths / 10}%` : `${(tenths / 10).toFixed(1)}%`
}
