// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @dev An account that is a contract, as ERC-4337 wallets are: its owner's calls go out in its name, and it vouches
/// by ERC-1271 for the digests that its owner has approved.
contract AccountContract is IERC1271 {
    address internal immutable _owner;
    mapping(bytes32 digest => bool approved) internal _approved;

    constructor(address owner) {
        _owner = owner;
    }

    function execute(address target, bytes calldata data) external returns (bytes memory result) {
        require(msg.sender == _owner, "not the owner");
        bool success;
        (success, result) = target.call(data);
        if (!success) {
            assembly ("memory-safe") {
                revert(add(result, 32), mload(result))
            }
        }
    }

    function approve(bytes32 digest) external {
        require(msg.sender == _owner, "not the owner");
        _approved[digest] = true;
    }

    function isValidSignature(bytes32 digest, bytes calldata) external view returns (bytes4 magic) {
        return _approved[digest] ? IERC1271.isValidSignature.selector : bytes4(0);
    }
}
