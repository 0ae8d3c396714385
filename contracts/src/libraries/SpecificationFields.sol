// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title SpecificationFields
/// @notice Numbers of an environment's specification, which the chain knows by the hash of its canonical dag-cbor.
library SpecificationFields {
    /// @notice Thrown when a field is not at the given offset, or is not a number below 65,536.
    /// @param offset Where it was said to be.
    error SpecificationFields_NotThere(uint256 offset);

    /// @notice The value of a field.
    /// @param specification The specification, in canonical dag-cbor.
    /// @param key The field's name as CBOR has it, with its head byte.
    /// @param offset Where the name begins.
    /// @return value The number that follows it.
    function numberAt(
        bytes calldata specification,
        bytes memory key,
        uint256 offset
    ) internal pure returns (uint256 value) {
        // The sum can't overflow behind the first check.
        if (offset > specification.length) revert SpecificationFields_NotThere(offset);
        uint256 at = offset + key.length;
        // A number takes one to three bytes, and a map's last field is not followed by any.
        if (at >= specification.length) revert SpecificationFields_NotThere(offset);
        if (keccak256(specification[offset:at]) != keccak256(key)) revert SpecificationFields_NotThere(offset);
        uint8 head = uint8(specification[at]);
        if (head < 24) return head;
        if (head == 24 && at + 1 < specification.length) return uint8(specification[at + 1]);
        if (head == 25 && at + 2 < specification.length) return uint16(bytes2(specification[at + 1:at + 3]));
        revert SpecificationFields_NotThere(offset);
    }
}
