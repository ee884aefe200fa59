/** So many things in words: "1 block", "1,200 blocks". */
export function countText(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`
}
