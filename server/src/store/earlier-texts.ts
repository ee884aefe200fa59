/**
 * SHA-256 of texts that a migration had before the one of today, by its name, as databases have them that were migrated meanwhile. Each is
 * here together with the migration that makes such a database what all others are: 000055 for these.
 */
export const EARLIER_TEXTS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    '000044_fewer_index_entries.sql',
    ['f06807d5912719985026e80525d17cbe0b6a5b833a466c8b15b9f649ed08f63e'],
  ],
  [
    '000045_room_for_answers.sql',
    ['4bf1b3771e137a3a81e22f1439674a755aa25282029334b48d1588ee3cbe1be6'],
  ],
  [
    '000046_references_by_construction.sql',
    ['70dfd3a7e19039dee0b4010b9d14b3c3889e4818b4f2cfcdf3c8955940c66844'],
  ],
  [
    '000050_many_builds.sql',
    [
      '02de0920483e150b53eff51da72ba34aba49cd7e3b4ded1e84c650cd57155549',
      '049cc738474637af432b75a14580f1bcfd83779f14cfee9943372b9c356adaaf',
    ],
  ],
])
