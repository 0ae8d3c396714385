// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IEvaluatorSeats} from "../src/interfaces/IEvaluatorSeats.sol";
import {SwarmFixture} from "./SwarmFixture.sol";

contract SeatsTest is SwarmFixture {
    address internal constant ALICE = address(0xA11CE);

    function test_NamesItsParts() public view {
        vm.assertEq(address(votes.peerRegistry()), address(registry));
        vm.assertEq(address(votes.rounds()), address(rounds));
        vm.assertEq(address(votes.rolloutCommitments()), address(commitments));
        vm.assertEq(votes.MAX_MISSES(), 6);
        vm.assertEq(votes.OVERTURNED_MILLI(), 500);
    }

    function test_SeatsFromTheNextRoundOn() public {
        enterRound(4);
        vm.expectEmit(address(votes));
        emit IEvaluatorSeats.EvaluatorAdmitted(bytes32("e"), 5, false);
        votes.admitEvaluator(bytes32("e"));
        vm.assertEq(votes.seatsAt(4).length, 0);
        vm.assertEq(votes.seatsAt(5).length, 1);
        vm.assertEq(votes.seatsAt(999)[0], bytes32("e"));
        vm.assertEq(votes.evaluatorAt(1), bytes32("e"));
        vm.assertEq(votes.evaluatorAt(2), bytes32(0));
        vm.assertEq(votes.seatsAt(0).length, 0);
    }

    function test_SeatsInRoundZeroBeforeTheStart() public {
        vm.warp(START - 1);
        votes.admitEvaluator(bytes32("e"));
        vm.assertEq(votes.seatsAt(0).length, 1);
    }

    function test_UnseatsFromTheNextRoundOn() public {
        votes.admitEvaluator(bytes32("a"));
        votes.admitEvaluator(bytes32("b"));
        votes.admitEvaluator(bytes32("c"));
        enterRound(4);
        vm.expectEmit(address(votes));
        emit IEvaluatorSeats.EvaluatorRemoved(bytes32("a"), 5, false);
        votes.removeEvaluator(bytes32("a"));
        vm.assertEq(votes.seatsAt(4).length, 3);
        vm.assertEq(votes.seatsAt(5).length, 2);
        vm.assertEq(votes.seatsAt(5)[0], bytes32("c"));
        vm.assertEq(votes.seatsAt(5)[1], bytes32("b"));
        votes.removeEvaluator(bytes32("c"));
        votes.removeEvaluator(bytes32("b"));
        vm.assertEq(votes.seatsAt(5).length, 0);
        votes.admitEvaluator(bytes32("a"));
        vm.assertEq(votes.seatsAt(5).length, 1);
        vm.assertEq(votes.seatsAt(4).length, 3);
    }

    function test_RevertWhen_AlreadySeated() public {
        votes.admitEvaluator(bytes32("e"));
        enterRound(4);
        vm.expectRevert(abi.encodeWithSelector(IEvaluatorSeats.RewardVotes_AlreadySeated.selector, bytes32("e")));
        votes.admitEvaluator(bytes32("e"));
    }

    function test_RevertWhen_RemovingOneWithoutASeat() public {
        vm.expectRevert(abi.encodeWithSelector(IEvaluatorSeats.RewardVotes_NotSeated.selector, bytes32("e"), 1));
        votes.removeEvaluator(bytes32("e"));
    }

    /// @dev Data that rounds in voting or settlement still need is never overwritten.
    function testFuzz_SeatsOfTheLastRoundsNeverChange(uint256 seed) public {
        bytes32[][12] memory seen;
        for (uint64 round = 0; round < 12; ++round) {
            vm.warp(rounds.startOf(round));
            seen[round] = votes.seatsAt(round);
            for (uint64 r = round < 4 ? 0 : round - 4; r < round; ++r) vm.assertEq(votes.seatsAt(r), seen[r]);
            for (uint256 change = 0; change < 3; ++change) {
                seed = uint256(keccak256(abi.encode(seed)));
                bytes32 key = bytes32(1 + (seed % 7));
                if (isSeated(round + 1, key)) votes.removeEvaluator(key);
                else votes.admitEvaluator(key);
            }
        }
    }

    /// @dev As many as there are, up to 5, each once; every seat's turn comes.
    function testFuzz_DrawsDistinctSeats(uint256 seats, uint32 shard) public {
        seats = bound(seats, 0, 12);
        vm.warp(START - 1);
        for (uint256 i = 1; i <= seats; ++i) votes.admitEvaluator(bytes32(i));
        enterRound(1);
        rounds.drawBeacon(0);
        bytes32[] memory committee = votes.committeeOf(0, shard);
        vm.assertEq(committee.length, seats < 5 ? seats : 5);
        for (uint256 i = 0; i < committee.length; ++i) {
            vm.assertTrue(isSeated(0, committee[i]));
            for (uint256 j = 0; j < i; ++j) vm.assertTrue(committee[i] != committee[j]);
        }
    }

    function test_EverySeatIsDrawnAboutEquallyOften() public {
        vm.warp(START - 1);
        for (uint256 i = 0; i < 10; ++i) votes.admitEvaluator(bytes32(i + 1));
        enterRound(1);
        rounds.drawBeacon(0);
        uint256[10] memory hits;
        for (uint32 shard = 0; shard < 200; ++shard) {
            bytes32[] memory committee = votes.committeeOf(0, shard);
            for (uint256 i = 0; i < 5; ++i) ++hits[uint256(committee[i]) - 1];
        }
        for (uint256 i = 0; i < 10; ++i) vm.assertTrue(hits[i] > 70 && hits[i] < 130);
    }

    function test_RevertWhen_SeatingWithoutTheRole() public {
        bytes32 role = votes.EVALUATOR_ADMIN_ROLE();
        expectMissingRole(ALICE, role);
        vm.prank(ALICE);
        votes.admitEvaluator(bytes32("e"));
        expectMissingRole(ALICE, role);
        vm.prank(ALICE);
        votes.removeEvaluator(bytes32("e"));
    }

    function isSeated(uint64 round, bytes32 key) internal view returns (bool seated) {
        bytes32[] memory seats = votes.seatsAt(round);
        for (uint256 i = 0; i < seats.length; ++i) if (seats[i] == key) return true;
    }
}
