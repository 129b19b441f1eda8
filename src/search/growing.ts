/** Typed arrays that grow by doubling: numbers by the million without an object each. */
export class GrowingUint32 {
  values: Uint32Array;
  length: number;

  constructor(values: Uint32Array = new Uint32Array(1024), length: number = 0) {
    this.values = values;
    this.length = length;
  }

  push(value: number): number {
    if (this.length === this.values.length)
      this.values = grown(this.values, new Uint32Array(nextSize(this.length)));
    this.values[this.length] = value;
    return this.length++;
  }

  used(): Uint32Array {
    return this.values.subarray(0, this.length);
  }
}

export class GrowingUint8 {
  values: Uint8Array;
  length: number;

  constructor(values: Uint8Array = new Uint8Array(1024), length: number = 0) {
    this.values = values;
    this.length = length;
  }

  push(value: number): number {
    if (this.length === this.values.length)
      this.values = grown(this.values, new Uint8Array(nextSize(this.length)));
    this.values[this.length] = value;
    return this.length++;
  }

  used(): Uint8Array {
    return this.values.subarray(0, this.length);
  }
}

export class GrowingUint16 {
  values: Uint16Array;
  length: number;

  constructor(values: Uint16Array = new Uint16Array(1024), length: number = 0) {
    this.values = values;
    this.length = length;
  }

  push(value: number): number {
    if (this.length === this.values.length)
      this.values = grown(this.values, new Uint16Array(nextSize(this.length)));
    this.values[this.length] = value;
    return this.length++;
  }

  used(): Uint16Array {
    return this.values.subarray(0, this.length);
  }
}

function grown<A extends Uint8Array | Uint16Array | Uint32Array>(from: A, to: A): A {
  to.set(from);
  return to;
}

function nextSize(length: number): number {
  return Math.max(1024, length * 2);
}
