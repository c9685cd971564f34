/** Marks of assay's map. The version is raised when a field changes its meaning; new fields do not raise it. */
export const ORDER_MAP_FORMAT = 'assay-order-map';
export const ORDER_MAP_VERSION = 1;
