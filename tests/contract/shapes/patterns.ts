export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const OBJECT_ID = /^[0-9a-f]{24}$/;
export const REFID = /^gtx_[0-9a-z]{20}$/i;
export const DECIMAL = /^\d+(\.\d+)?$/;
