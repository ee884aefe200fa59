/** The highest block that anybody here has heard of; what was read below it is not the present any more. */
export interface NewestHeight {
  note(height: bigint): void
  height(): bigint
}

export function openNewestHeight(): NewestHeight {
  let newest = 0n
  return {
    note: (height) => {
      if (height > newest) newest = height
    },
    height: () => newest,
  }
}
