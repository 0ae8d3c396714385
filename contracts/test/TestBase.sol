// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ballots} from "../src/libraries/Ballots.sol";
import {tagOf} from "../src/libraries/Ring.sol";
import {Rounds} from "../src/Rounds.sol";

/// @dev The cheat codes that these tests use; forge-std from npm is unusable.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function prank(address sender) external;

    function prank(address sender, address origin) external;

    function warp(uint256 timestamp) external;

    function getBlockTimestamp() external view returns (uint256 timestamp);

    function getBlockNumber() external view returns (uint256 number);

    function roll(uint256 blockNumber) external;

    function chainId(uint256 id) external;

    function fee(uint256 baseFeeWei) external;

    function txGasPrice(uint256 priceWei) external;

    function deal(address account, uint256 balanceWei) external;

    function etch(address target, bytes calldata code) external;

    function setBlockhash(uint256 blockNumber, bytes32 blockHash) external;

    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);

    function getNonce(address account) external view returns (uint64 nonce);

    function assume(bool condition) external pure;

    function expectRevert(bytes calldata revertData) external;

    function expectEmit(address emitter) external;

    function recordLogs() external;

    function getRecordedLogs() external returns (Log[] memory logs);

    function assertEq(uint256 left, uint256 right) external pure;

    function assertEq(bytes32 left, bytes32 right) external pure;

    function assertEq(address left, address right) external pure;

    function assertEq(string calldata left, string calldata right) external pure;

    function assertEq(bytes32[] calldata left, bytes32[] calldata right) external pure;

    function assertTrue(bool condition) external pure;

    function assertFalse(bool condition) external pure;

    function assertLe(uint256 left, uint256 right) external pure;
}

/// @dev Base of every test contract.
abstract contract TestBase {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    address[] private _targets;
    uint256 private _mixes;

    /// @dev Read by the runner: invariants call these contracts only.
    function targetContracts() public view returns (address[] memory targets) {
        return _targets;
    }

    function targetContract(address target) internal {
        _targets.push(target);
    }

    /// @dev The runner often draws 0 or small numbers, so that most bits carry nothing.
    function mixed(uint256 drawn) internal returns (uint256 draw) {
        return uint256(keccak256(abi.encode(drawn, ++_mixes)));
    }

    function bound(uint256 value, uint256 low, uint256 high) internal pure returns (uint256 bounded) {
        return low + (value % (high - low + 1));
    }

    /// @dev Fixes the beacon of the round before the current one, and lets its block pass.
    function openBeacon(Rounds rounds, uint64 round) internal {
        rounds.fixBeacon(round);
        (, uint256 blockNumber) = rounds.beaconStateOf(round);
        vm.roll(blockNumber + 1);
        vm.setBlockhash(blockNumber, keccak256(abi.encode("beacon", round)));
    }

    /// @dev Expects AccessControl's refusal of a sender without a role.
    function expectMissingRole(address account, bytes32 role) internal {
        vm.expectRevert(abi.encodeWithSignature("AccessControlUnauthorizedAccount(address,bytes32)", account, role));
    }

    /// @dev Fields of a word of `RewardVotes.ballotWord`.
    function ballotState(uint256 word, uint64 round) internal pure returns (bool committed, bool revealed) {
        committed = word >> 224 == tagOf(round);
        revealed = committed && word & Ballots.REVEALED != 0;
    }
}
