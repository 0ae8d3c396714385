// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev An account that is asked for its consent by ERC-1271, and answers with its own call before it says yes.
contract Meddler {
    address internal immutable _target;
    bytes internal _data;
    bool public hasMeddled;

    constructor(address target) {
        _target = target;
    }

    function plan(bytes calldata data) external {
        _data = data;
    }

    function isValidSignature(bytes32, bytes calldata) external returns (bytes4 magic) {
        (bool isTaken, ) = _target.call(_data);
        if (isTaken) hasMeddled = true;
        return this.isValidSignature.selector;
    }
}
