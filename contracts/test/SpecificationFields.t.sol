// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SpecificationFields} from "../src/libraries/SpecificationFields.sol";
import {TestBase} from "./TestBase.sol";

/// @dev Lets a revert be expected: an internal function runs in its caller.
contract SpecificationReader {
    function numberAt(bytes calldata specification, uint256 offset) external pure returns (uint256 value) {
        return SpecificationFields.numberAt(specification, "\x63two", offset);
    }
}

contract SpecificationFieldsTest is TestBase {
    bytes private constant KEY = "\x63two";

    SpecificationReader private immutable _reader = new SpecificationReader();

    function test_ReadsTheShortestFormOfEachSize() public view {
        vm.assertEq(_read(hex"00"), 0);
        vm.assertEq(_read(hex"17"), 23);
        vm.assertEq(_read(hex"1818"), 24);
        vm.assertEq(_read(hex"18ff"), 255);
        vm.assertEq(_read(hex"190100"), 256);
        vm.assertEq(_read(hex"19ffff"), 65_535);
    }

    function test_RevertWhen_TheNumberIsCutOff() public {
        _expectNotThere(KEY, 0);
        _expectNotThere(bytes.concat(KEY, hex"18"), 0);
        _expectNotThere(bytes.concat(KEY, hex"19"), 0);
        _expectNotThere(bytes.concat(KEY, hex"1901"), 0);
    }

    function test_RevertWhen_WhatFollowsIsNoNumberBelow65536() public {
        // Four bytes, eight, a negative number, text, a map, a float, null.
        bytes[7] memory heads = [
            bytes(hex"1a00010000"),
            hex"1b0000000000010000",
            hex"20",
            hex"6161",
            hex"a0",
            hex"fb3ff0000000000000",
            hex"f6"
        ];
        for (uint256 i = 0; i < heads.length; ++i) _expectNotThere(bytes.concat(KEY, heads[i]), 0);
    }

    function test_RevertWhen_AnotherNameIsThere() public {
        _expectNotThere(hex"6374776101", 0);
        _expectNotThere(hex"6474776f01", 0);
    }

    function test_RevertWhen_TheOffsetIsOutside() public {
        bytes memory specification = bytes.concat(KEY, hex"01");
        _expectNotThere(specification, 1);
        _expectNotThere(specification, specification.length);
        _expectNotThere(specification, specification.length + 1);
        // The end of the name is beyond the largest number.
        _expectNotThere(specification, type(uint256).max);
        _expectNotThere("", 0);
    }

    /// @dev Wherever the field is, and whatever is around it.
    function testFuzz_TheValueIsFoundWhereItIs(bytes calldata before, uint16 value, bytes calldata rest) public view {
        bytes memory specification = bytes.concat(before, KEY, _cbor(value), rest);
        vm.assertEq(_reader.numberAt(specification, before.length), value);
    }

    /// @dev Any offset gives the library's own error.
    function testFuzz_NoOffsetPanics(bytes calldata specification, uint16 offset) public view {
        try _reader.numberAt(specification, offset) returns (uint256 value) {
            vm.assertLe(value, type(uint16).max);
        } catch (bytes memory why) {
            vm.assertEq(bytes32(bytes4(why)), bytes32(SpecificationFields.SpecificationFields_NotThere.selector));
        }
    }

    function _read(bytes memory number) private view returns (uint256 value) {
        return _reader.numberAt(bytes.concat(hex"a1", KEY, number), 1);
    }

    function _expectNotThere(bytes memory specification, uint256 offset) private {
        vm.expectRevert(abi.encodeWithSelector(SpecificationFields.SpecificationFields_NotThere.selector, offset));
        _reader.numberAt(specification, offset);
    }

    function _cbor(uint16 value) private pure returns (bytes memory number) {
        if (value < 24) return abi.encodePacked(uint8(value));
        if (value < 256) return abi.encodePacked(uint8(0x18), uint8(value));
        return abi.encodePacked(uint8(0x19), value);
    }
}
